-- relation: told (view)
-- column mark: The time before going  back to it.
SELECT mark, told FROM contacts
