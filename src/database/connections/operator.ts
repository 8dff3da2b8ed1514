/** The operator's name: as an actor, in the log, and where others have their organization. */
export { OPERATOR_SHARE as OPERATOR } from '../../fairness/owners';
