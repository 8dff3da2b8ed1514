import { useState } from 'preact/hooks';
import type { CreateWebhook } from '../../../client/index.ts';

export type Types = CreateWebhook['types'];

/** The types of events that are chosen in a form. */
export function useTypes(initial: Types) {
  const [isAll, setIsAll] = useState(initial.includes('*'));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(initial));
  return {
    isAll,
    setIsAll,
    chosen,
    set(types: string[], isChosen: boolean) {
      setChosen((chosen) => {
        const next = new Set(chosen);
        for (const type of types)
          if (isChosen) next.add(type);
          else next.delete(type);
        return next;
      });
    },
    /** The value for the API. */
    types: (isAll ? ['*'] : [...chosen].filter((type) => type !== '*')) as Types,
  };
}
