export { asToken, type TestToken } from './as-token';
export { embeddedDatabase } from './embedded-database';
