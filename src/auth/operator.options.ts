export interface OperatorOptions {
  /** The tokens with which the operator manages organizations: two while one replaces the other. Default: none. */
  operatorTokens?: readonly string[];
}
