/** A handler for the failed import of an optional dependency, which this variable or option requires. */
export const notInstalled = (library: string, variable: string) => (error: unknown) => {
  if (!(error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) throw error;
  throw new Error(`${library} is not installed. Unset ${variable}, or run npm install ${library}.`);
};
