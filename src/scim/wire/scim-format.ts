import {
  declareFormat,
  detailWithFaults,
  type Problem,
  type WireFormat,
} from '../../platform/http/wire-format';

/** The media type of everything below `/scim` (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json';

const SCIM_FORMAT: WireFormat = {
  source: 'scim',
  bodyTypes: [SCIM_TYPE, 'application/json'],
  errorType: SCIM_TYPE,
  errorBody: (problem) =>
    JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(problem.status),
      scimType: scimTypeOf(problem),
      detail: detailWithFaults(problem),
    }),
};

/** Errors from outside `scim/` have no `scimType` of their own. */
function scimTypeOf({ status, code, keyword, errors }: Problem): string | undefined {
  if (status === 400 && errors?.[0]?.field === 'cursor') return 'invalidCursor'; // RFC 9865
  if (status === 400) return keyword ?? (code === 'validation_failed' ? 'invalidValue' : 'invalidSyntax');
  if (status === 409)
    return keyword ?? (errors?.some((fault) => fault.code === 'taken') ? 'uniqueness' : undefined);
  return undefined;
}

declareFormat('scim(?=[/?]|$)', SCIM_FORMAT);
