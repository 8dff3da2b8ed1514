// By its own name, because the compiled file is in another depth than this one.
import { version } from 'user-management-service/package.json';

/** The version of the service. */
export const VERSION: string = version;
