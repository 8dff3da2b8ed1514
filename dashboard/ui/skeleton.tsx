/** A placeholder for a list that is loading, or for facts. */
export const Skeleton = ({ isOfFacts = false }: { isOfFacts?: boolean }) => (
  <div class={isOfFacts ? 'skeleton facts-to-come' : 'skeleton'} aria-hidden="true">
    {[1, 2, 3, 4, 5].map((row) => (
      <i key={row} />
    ))}
  </div>
);
