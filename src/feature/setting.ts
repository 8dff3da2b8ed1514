import { applyDecorators, type Type } from '@nestjs/common';
import { Expose, plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, validateSync } from 'class-validator';

/** A setting of a variable. `read` makes a value of its text, or throws an error that says what it must be. */
export const Variable = (name: string, read: (text: string) => unknown) =>
  applyDecorators(
    Expose({ name }),
    Transform(({ value }) => {
      try {
        return read(value);
      } catch (error) {
        // As a value that is not valid, so that every fault is found.
        return new Error(`${name} ${(error as Error).message}`);
      }
    }),
    valid('variable', (value) => !(value instanceof Error), ''),
  );

/** A setting that a host sets, perhaps to a value of another type. */
export const Option = (isValid: (value: unknown) => boolean, message: string) =>
  valid('option', isValid, `$property ${message}.`);

const valid = (name: string, isValid: (value: unknown) => boolean, message: string) =>
  applyDecorators(
    ValidateIf((_settings, value) => value !== undefined),
    ValidateBy({ name, validator: { validate: isValid } }, { message }),
  );

/** A setting that both set. `read` makes a value of a text, or returns the text, which is not valid then. */
export const Setting = (
  name: string,
  read: (text: string) => unknown,
  isValid: (value: unknown) => boolean,
  message: string,
) =>
  applyDecorators(
    Variable(name, (text) => {
      const value = read(text);
      return isValid(value) ? value : reject(message);
    }),
    Option(isValid, message),
  );

export const WholeNumberSetting = (name: string, min: number, max: number) =>
  Setting(
    name,
    (text) => (/^\d+$/.test(text) ? Number(text) : text),
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be a whole number from ${min} to ${max}`,
  );

export const isFlag = (value: unknown) => typeof value === 'boolean';
const readFlag = (text: string) => (text === 'true' ? true : text === 'false' ? false : text);

export const FlagSetting = (name: string) => Setting(name, readFlag, isFlag, 'must be true or false');

export function reject(message: string): never {
  throw new Error(message);
}

/** The settings of a process. Without its variable, a setting has its default. */
export const fromVariables = <Settings>(type: Type<Settings>, variables: Record<string, unknown>): Settings =>
  plainToInstance(type, variables, { excludeExtraneousValues: true, exposeDefaultValues: true });

/** The first fault of every setting that has one. */
export const faultsOf = (settings: object): string[] =>
  validateSync(settings).map(({ constraints, value }) =>
    value instanceof Error ? value.message : Object.values(constraints!)[0],
  );
