const METADATA = 'metadata.';

/** The displayed name of a field: `expiresAt` is “Expires at”. */
export function titleOf(field: string): string {
  if (field.startsWith(METADATA)) return `Metadata “${field.slice(METADATA.length)}”`;
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, ' ID');
  return words[0].toUpperCase() + words.slice(1);
}
