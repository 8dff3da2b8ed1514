/**
 * @only embedded: it uses no database
 */
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { validate, validatedInput, validateOrThrow } from '../../src/platform/http/input/validate';
import { encodeCursor } from '../../src/platform/pages/cursor';
import { CreateTokenDto } from '../../src/tokens/tokens.dto';
import { BatchDto } from '../../src/users/batch/batch.dto';
import { SearchUsersDto } from '../../src/users/search/user-search.dto';
import { CreateUserDto, ListUsersDto } from '../../src/users/user/user.dto';

describe('validatedInput()', () => {
  it('validates what is not yet a DTO', () => {
    const dto = validatedInput(CreateUserDto, { name: ' Ada ', email: 'ada@example.com' });
    expect(dto).toMatchObject({ name: 'Ada' });
    expect(validatedInput(CreateUserDto, dto)).toBe(dto);
    expect(() => validatedInput(CreateUserDto, { name: '' })).toThrow('2 fields are invalid.');
  });
});

describe('validateOrThrow()', () => {
  it.each([Object, Array])('takes no field of a type without checks: %s', (metatype) => {
    const input = Object.assign(new metatype(), { anything: 1 });
    expect(() => validateOrThrow(metatype, input)).toThrow('1 field is invalid.');
  });
});

describe('validate()', () => {
  const codes = (metatype: Type, input: object) =>
    validate(metatype, input).faults?.map(({ field, code, message }) => `${field} ${code}: ${message}`);

  it('reports the first fault of each path, and all paths', () => {
    const metadata = {
      '': 1,
      ['k'.repeat(65)]: 2,
      ...Object.fromEntries([...Array(15)].map((_, i) => [`k${i}`, i])),
    };
    expect(codes(CreateUserDto, { email: null, role: 'x', metadata, id: 'x', nope: 1, toString: 1 })).toEqual(
      [
        'nope unknown: is not a known field',
        'toString unknown: is not a known field',
        'name required: is required',
        'email invalid: must be a string',
        'role invalid: must be one of member, admin, viewer',
        'metadata. too_short: must not be empty',
        `metadata.${'k'.repeat(64)}… too_long: must have at most 64 characters`,
        'metadata too_many: must have at most 16 keys',
        'id immutable: cannot be changed',
      ],
    );
  });

  it.each([
    [SearchUsersDto, { q: null }, 'q invalid: must be a string'],
    [CreateTokenDto, { name: 'CI', scopes: null }, /^scopes invalid: must be a list of/],
    [BatchDto, { users: null }, 'users invalid: must be a list of users'],
    [ListUsersDto, { limit: 1.5 }, 'limit invalid: must be a whole number'],
    [ListUsersDto, { limit: 201 }, 'limit out_of_range: must be from 1 to 200'],
  ])('runs the checks in their order: %p %#', (metatype: Type, input, fault) => {
    expect(codes(metatype, input)).toEqual([
      typeof fault === 'string' ? fault : expect.stringMatching(fault),
    ]);
  });

  it('counts code points, variation selectors included', () => {
    expect(codes(CreateUserDto, { name: '❤️'.repeat(100), email: 'a@b.co' })).toBeUndefined();
    expect(codes(CreateUserDto, { name: '❤️'.repeat(101), email: 'a@b.co' })).toEqual([
      'name too_long: must have at most 200 characters',
    ]);
  });
});

it('cursors stay valid across releases', () => {
  const list = ['users', 'org_01kacp9k3m8x2f5q7v9wbz4n6t', 'createdAt', 'desc', {}];
  const position = ['2026-01-31T09:30:00.000Z', 'usr_01kacp9k3m8x2f5q7v9wbz4n6t'];
  expect(encodeCursor(position, list)).toBe(
    'bkX85MfJOF5LQ4XAWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiLCJ1c3JfMDFrYWNwOWszbTh4MmY1cTd2OXdiejRuNnQiXQ',
  );
});
