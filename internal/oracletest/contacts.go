package oracletest

// contactTruths are the relations about contacts, with the stream of the oracle for each.
func contactTruths() []streamTruth {
	return []streamTruth{
		{"contacts", "contacts", []string{"id", "workspace_id", "external_id", "role", "email", "email_verified", "phone", "name", "avatar",
			"custom_attributes:custom_attributes::VARCHAR", "owner_id", "unsubscribed_from_emails", "created_at", "updated_at", epochOrExtra("signed_up_at"), "last_seen_at", "last_replied_at",
			"last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "language_override", "browser", "browser_version",
			"browser_language", "os", "location_country", "location_region", "location_city",
			"android_app_name", "android_app_version", "android_device", "android_os_version", "android_sdk_version", "android_last_seen_at",
			"ios_app_name", "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version", "ios_last_seen_at"}},
		{"contact_tags", "contact_tags JOIN contacts ON id = contact_id", []string{"contact_id", "tag_id", "url"}},
		{"contact_notes", "contact_notes JOIN contacts ON id = contact_id", []string{"contact_id", "note_id", "url"}},
		{"contact_companies", "contact_companies JOIN contacts ON id = contact_id", []string{"contact_id", "company_id"}},
		{"contact_social_profiles", "(SELECT s.* FROM contact_social_profiles s JOIN contacts c ON c.id = s.contact_id)",
			[]string{"contact_id", "position:_position", "name", "url"}},
		{"deleted_contacts", "deleted_contacts", []string{"id", "role", "status", "updated_at", "merged_into_id", "external_id", "email"}},
		{"contact_activities", "contact_activities", []string{"id", "event_type", "contact_id", "external_id", "role",
			"merge_source_id", "merge_target_id", "failure_reason", "created_at"}},
		{"contact_lifecycle", "(SELECT a.id, a.lifecycle, a.inactive_since, a.merged_into_id, i.current_contact_id FROM contacts_all a JOIN contact_identity i ON i.contact_id = a.id)",
			[]string{"id", "lifecycle", "inactive_since", "merged_into_id", "current_contact_id"}},
		{"contacts_deleted", "contacts_deleted", []string{"id", "how", "deleted_at"}},
	}
}

// epochOrExtra reads a column of times. Impossible times are null there, and in _extra as they were sent.
func epochOrExtra(column string) string {
	return column + ":coalesce(epoch(" + column + ")::BIGINT::VARCHAR, _extra->>'$." + column + "')"
}
