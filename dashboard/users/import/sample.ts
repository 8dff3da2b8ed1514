/** A file as the import reads it, with every field and one key of the metadata. */
export const SAMPLE = [
  'Name,Email,Role,Active,External ID,Department',
  'Ada Lovelace,ada@example.com,admin,true,E-1001,Engineering',
  'Grace Hopper,grace@example.com,member,true,E-1002,Engineering',
  'Lin Chen,lin@example.com,viewer,false,E-1003,Sales',
]
  .map((line) => `${line}\n`)
  .join('');
