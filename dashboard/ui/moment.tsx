import { Ago, DateOf } from './time.tsx';

/** A date, and how long ago it is. */
export const Moment = ({ iso }: { iso: string }) => (
  <>
    <DateOf iso={iso} />{' '}
    <span class="quiet">
      (<Ago iso={iso} />)
    </span>
  </>
);
