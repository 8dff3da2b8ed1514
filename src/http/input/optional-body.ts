import { SetMetadata } from '@nestjs/common';

const OPTIONAL_BODY = 'ums:optional-body';

/** The POST may come without a body and without a type: that means `{}`. */
export const OptionalBody = () => SetMetadata(OPTIONAL_BODY, true);

export const isBodyOptional = (handler: Function): boolean =>
  Reflect.getMetadata(OPTIONAL_BODY, handler) === true;
