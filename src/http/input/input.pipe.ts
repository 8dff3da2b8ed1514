import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateOrThrow } from './validate';

/** Turns a body or a query into its DTO, or throws a 400 that lists every fault. */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || (type !== 'body' && type !== 'query')) return value;
    return validateOrThrow(metatype, value, type === 'query' ? 'query parameter' : 'field');
  }
}
