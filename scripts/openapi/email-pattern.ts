// JSON Schema's `email` is ASCII only, and validators enforce that; the service accepts `b@exämple.com`. This pattern
// states what `isEmail()` of class-validator accepts, except for lengths in bytes and rare characters beyond ASCII.

const atom = String.raw`[^\x00- "(),.:;<>@\[-\]\x7f-\xa0]+`;
const letter = String.raw`[^\x00-@\[-\x60{-\xa0]`;
const alphanumeric = String.raw`[^\x00-/:-@\[-\x60{-\xa0]`;
const alphanumericOrHyphen = String.raw`[^\x00-,./:-@\[-\x60{-\xa0]`;

const local = String.raw`("[\s\S]*"|${atom}(\.${atom})*)`;
const label = `${alphanumeric}(${alphanumericOrHyphen}*${alphanumeric})?`;
const lastLabel = `(${letter}{2,}|[Xx][Nn]${alphanumericOrHyphen}*${alphanumeric})`;

/** The shape of an email address, with white space around it, which is trimmed. */
export const EMAIL_PATTERN = String.raw`^\s*${local}@(${label}\.)+${lastLabel}\s*$`;
