/** Text that moves no cursor and colours no terminal: a name may contain any character. */
export const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
