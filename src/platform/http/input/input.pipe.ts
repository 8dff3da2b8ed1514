import { type ArgumentMetadata, Injectable, type PipeTransform, SetMetadata } from '@nestjs/common';
import { validateOrThrow } from './validate';

const BY_SERVICE = 'ums:validated-by-service';

/** Input of this DTO is passed on as it came to a service that validates it, because only that knows all bounds. */
export const ValidatedByService = () => SetMetadata(BY_SERVICE, true);

/** Turns a body or a query into its DTO, or throws a 400 that lists every fault. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || (type !== 'body' && type !== 'query')) return value;
    if (Reflect.hasMetadata(BY_SERVICE, metatype)) return value;
    return validateOrThrow(metatype, value, type === 'query' ? 'query parameter' : 'field');
  }
}
