import 'reflect-metadata';
import { judgeOrThrow } from '../src/http/input/judge';
import { encodeCursor } from '../src/pages/cursor';
import { CreateUserDto } from '../src/users/users.dto';

describe('judgeOrThrow()', () => {
  it('judges what is not yet a DTO, and a DTO only once', () => {
    const dto = judgeOrThrow(CreateUserDto, { name: ' Ada ', email: 'ada@example.com' });
    expect(dto).toMatchObject({ name: 'Ada' });
    expect(judgeOrThrow(CreateUserDto, dto)).toBe(dto);
    expect(() => judgeOrThrow(CreateUserDto, { name: '' })).toThrow('2 fields are invalid.');
  });

  it.each([Object, Array])('takes no field of a type without checks: %s', (metatype) => {
    const input = Object.assign(new metatype(), { anything: 1 });
    expect(() => judgeOrThrow(metatype, input)).toThrow('1 field is invalid.');
  });
});

it('cursors stay valid across releases', () => {
  const list = ['users', 'org_01kacp9k3m8x2f5q7v9wbz4n6t', 'createdAt', 'desc', {}];
  const position = ['2026-01-31T09:30:00.000Z', 'usr_01kacp9k3m8x2f5q7v9wbz4n6t'];
  expect(encodeCursor(position, list)).toBe(
    'bkX85MfJOF5LQ4XAWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiLCJ1c3JfMDFrYWNwOWszbTh4MmY1cTd2OXdiejRuNnQiXQ',
  );
});
