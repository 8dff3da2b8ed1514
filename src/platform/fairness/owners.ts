/** Owns the work of no organization, so that all of it together has the share of one. */
export const COMMON_SHARE = '';

/** Owns the statements of the operator, which go to all nodes of a cluster. */
export const OPERATOR_SHARE = 'operator';
