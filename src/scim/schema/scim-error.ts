import { HttpException } from '@nestjs/common';

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidValue'
  | 'invalidSyntax'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** An error with SCIM's own keyword. The detail names attributes, never values from the caller. */
export class ScimError extends HttpException {
  constructor(
    status: number,
    readonly detail: string,
    readonly scimType?: ScimType,
  ) {
    super({ statusCode: status, message: detail, keyword: scimType }, status);
  }
}

const badRequest = (scimType: ScimType) => (detail: string) => new ScimError(400, detail, scimType);

export const invalidFilter = badRequest('invalidFilter');
export const invalidPath = badRequest('invalidPath');
export const invalidValue = badRequest('invalidValue');
export const invalidSyntax = badRequest('invalidSyntax');
export const mutability = badRequest('mutability');
export const noTarget = badRequest('noTarget');
export const tooMany = badRequest('tooMany');
export const uniqueness = (detail: string) => new ScimError(409, detail, 'uniqueness');
