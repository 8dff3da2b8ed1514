import type { ApiError, BatchUser } from '../../../client/index.ts';
import { type Identity, keyOf, type RowFault } from './csv-file.ts';

const ELEMENT = /^users\.(\d+)(?:\.(.*))?$/s;

/** Whether the service has refused a batch because of some of its elements. */
export const isRefusalOfElements = ({ status, errors }: ApiError) =>
  (status === 400 || status === 409) && errors.length > 0 && errors.every(({ field }) => ELEMENT.test(field));

/** The faults of each element that made the batch fail. */
export function faultsByElement({ errors }: ApiError): Map<number, RowFault[]> {
  const faults = new Map<number, RowFault[]>();
  for (const { field, ...fault } of errors) {
    const [, index, name] = ELEMENT.exec(field)!;
    faults.set(Number(index), [...(faults.get(Number(index)) ?? []), { field: name ?? 'row', ...fault }]);
  }
  return faults;
}

/** The fault of the second row of the same user. */
export const repeated = (field: Identity): RowFault => ({
  field,
  message: 'appears in an earlier row of the file',
  code: 'taken',
});

/** The faults, with the reason for an identity that an earlier row has taken. */
export function inFile(
  faults: RowFault[],
  user: BatchUser,
  earlier: ReadonlySet<string>,
  identity: Identity,
): RowFault[] {
  const isRepeated = earlier.has(keyOf(user, identity));
  return faults.map((fault) =>
    fault.code === 'taken' && fault.field === identity && isRepeated ? repeated(identity) : fault,
  );
}
