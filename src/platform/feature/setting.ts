import { applyDecorators, type Type } from '@nestjs/common';
import { Expose, plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, ValidateIf, validateSync } from 'class-validator';

/** The names of the variables of all settings. */
export const VARIABLES = new Set<string>();

/** A setting of a variable. `read` makes a value of its text, or throws an error that says what it must be. */
export function Variable(name: string, read: (text: string) => unknown) {
  VARIABLES.add(name);
  return applyDecorators(
    Expose({ name }),
    Transform(({ value }) => {
      try {
        return read(value);
      } catch (error) {
        return new Error(`${name} ${(error as Error).message}`); // for `fromVariables()`
      }
    }),
  );
}

/** A setting that a host may set, perhaps to a value of another type. */
export const Option = (isValid: (value: unknown) => boolean, message: string) =>
  applyDecorators(
    ValidateIf((_settings, value) => value !== undefined),
    RequiredOption((value) => isValid(value) || reject(message)),
  );

/** A setting that a host must set. `check` throws an error that says what it must be. */
export const RequiredOption = (check: (value: unknown) => unknown) =>
  ValidateBy(
    { name: 'option', validator: { validate: (value) => faultOf(check, value) === undefined } },
    { message: ({ property, value }) => `${property} ${faultOf(check, value)}.` },
  );

function faultOf(check: (value: unknown) => unknown, value: unknown): string | undefined {
  try {
    return void check(value);
  } catch (error) {
    return (error as Error).message;
  }
}

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

/** The settings of a process, whose faults are added. Without its variable, a setting has its default. */
export function fromVariables<Settings extends object>(
  type: Type<Settings>,
  variables: Record<string, unknown>,
  faults: Set<string>,
): Settings {
  const options = { excludeExtraneousValues: true, exposeDefaultValues: true };
  const settings = plainToInstance(type, variables, options);
  for (const value of Object.values(settings)) if (value instanceof Error) faults.add(value.message);
  return settings;
}

/** The faults of what a host has given for these settings. `within` precedes the name of each. */
export const faultsOf = <Settings extends object>(
  type: Type<Settings>,
  given: unknown,
  within = '',
): string[] =>
  validateSync(Object.assign(new type(), given)).map(
    ({ constraints }) => within + Object.values(constraints!)[0],
  );
