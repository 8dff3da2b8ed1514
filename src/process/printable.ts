/** Escapes control characters, because a name may contain ones that move the cursor or change colors. */
export const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
