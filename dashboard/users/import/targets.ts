import { proposeKey } from '../../../csv/proposals.ts';
import { keyFault, keyOfTarget, MAX_KEYS, metadataTarget, type Target } from '../../../csv/targets.ts';

/** The choice of a column that becomes a key of the metadata. */
export const KEY = 'key';

/** The targets after a choice for one column. A field comes from one column, so another that had it is left out. */
export function withChoice(targets: Target[], at: number, choice: string, header: string[]): Target[] {
  const chosen = choice === KEY ? metadataTarget(freeKey(targets, header[at])) : choice || undefined;
  return targets.map((target, i) => (i === at ? chosen : target === chosen ? undefined : target));
}

function freeKey(targets: Target[], name: string): string {
  const proposed = proposeKey(name);
  const isTaken = (key: string) => targets.includes(metadataTarget(key));
  for (let n = 1; ; n++) {
    const key = n === 1 ? proposed : `${proposed}${n}`;
    if (!isTaken(key)) return key;
  }
}

/** What is wrong with the targets of columns; undefined for those that are right. */
export function faultsOf(targets: Target[], header: string[]): (string | undefined)[] {
  const whole = targets.indexOf('metadata');
  const keys = [...new Set(targets.filter((target) => keyOfTarget(target) !== undefined))];
  return targets.map((target, at) => {
    const key = keyOfTarget(target);
    if (key === undefined) return undefined;
    const fault = keyFault(key);
    if (fault) return `The key ${fault}.`;
    const first = targets.indexOf(target);
    if (first < at) return `The column “${header[first]}” already has this key.`;
    if (whole >= 0) return `The column “${header[whole]}” replaces all metadata: leave out one of the two.`;
    return keys.indexOf(target) < MAX_KEYS
      ? undefined
      : `A user has at most ${MAX_KEYS} metadata keys: leave this one out, or another.`;
  });
}
