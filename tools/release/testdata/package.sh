#!/bin/sh
# Installs, runs, upgrades, removes and purges the package on a machine with systemd as its first process. ADDRESS and TOKEN name a workspace.
set -eux

files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /checks -o -path /var/log -o -path /var/tmp -o -path '/var/lib/dpkg' \
		-o -path /var/lib/systemd -o -path '/var/cache' \) -prune -o ! -path '/etc/*-' ! -path '/etc/.pwd.lock' -print | sort
}
fails() {
	if "$@"; then
		echo "this should fail: $*"
		exit 1
	fi
}
files >/checks/before

dpkg -i /checks/aqueduck.deb
test "$(stat -c %U:%G:%a /var/lib/aqueduck)" = aqueduck:aqueduck:755
fails systemctl is-enabled aqueduck
fails systemctl is-active aqueduck
aqueduck version
cd /var/lib/aqueduck
(umask 077 && printf 'WORKSPACE_URL=%s\nWORKSPACE_TOKEN=%s\n' "$ADDRESS" "$TOKEN" >.env)
chown aqueduck: .env
sed -i 's/schedule: .*/schedule: "* * * * *"/' /etc/aqueduck/pipelines.yaml

systemctl enable --now aqueduck
test "$(stat -c %U "/proc/$(systemctl show -P MainPID aqueduck)")" = aqueduck
timeout 300 journalctl -f -n all -u aqueduck | grep -m1 'OK nightly .*published=yes'
test "$(runuser -u aqueduck -- aqueduck query -o csv 'SELECT count(*) > 50 AS enough FROM contacts' | tail -1)" = true
systemctl reload aqueduck
systemctl is-active aqueduck

dpkg -i /checks/aqueduck.deb
systemctl is-active aqueduck
grep -F '* * * * *' /etc/aqueduck/pipelines.yaml

dpkg -r aqueduck
fails systemctl is-active aqueduck
fails test -e /etc/systemd/system/multi-user.target.wants/aqueduck.service
test -e /var/lib/aqueduck/data/warehouse.duckdb
test -e /etc/aqueduck/pipelines.yaml
dpkg -P aqueduck
fails test -e /etc/aqueduck
id aqueduck
files | grep -v '^/var/lib/aqueduck' >/checks/after
diff /checks/before /checks/after

rm -r /var/lib/aqueduck
dpkg -i /checks/aqueduck.deb
dpkg -P aqueduck
files >/checks/after
diff /checks/before /checks/after
fails id aqueduck
echo everything held
