/** The text after the options of `ums users import`. */
export const HELP = `
CSV: The first line names the columns, in any letter case: externalId, name,
email, role, active (true or false, in any letter case), metadata (as JSON) or
metadata.<key>, one key of the metadata, whose value is the text of the cell. Any
other column must be named by --map, which says what it becomes, or by
--ignore-columns. A column that --map names is no longer what its own name says.
An empty cell counts as missing: it changes nothing. A row of empty cells is
skipped. If two columns become the same, nothing is imported.

The apostrophe that an export puts before a formula is removed: one at the start
of a cell, before =, +, -, @, a tab or a line break.

NDJSON: Each line is an object as in POST /api/v1/users.

The fields id, version, createdAt, updatedAt and directory, which an export may
contain, are ignored. Rows are validated like requests to the API and written in
batches of up to 500, each as a whole or not at all. With --mode upsert, a row
changes only the fields and keys that it contains, and one that changes nothing
counts as unchanged; use it to resume an import. A repeated email is refused
within a batch; in a later batch it is that of an existing user, which --dry-run
does not know. With --by external-id, a row changes the user who has its
externalId, and may change the email.

Refused rows are written to a file of the same format, with the reason in a
column or property "refused_because", which an import ignores: correct the rows
there and import that file with the same options. A line that is not a JSON
object stays as it is, below a line with the reason.

Exits with 1 if a row was refused or the import failed, with 130 after Ctrl-C.

Examples:
  ums users import people.csv --dry-run
  ums users import staff.csv --map "Full name=name" --map "Work email=email" \\
    --map "Department=metadata.department" --map "Notes="
  ums users import people.csv --ignore-columns "Phone,Full address"
  ums users import people.refused.csv
  ums users import staff.csv --mode upsert --by external-id
  zcat people.ndjson.gz | ums users import - --organization org_… --mode upsert --json`;
