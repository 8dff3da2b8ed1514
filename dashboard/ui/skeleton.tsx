/** A placeholder for a list that is loading. */
export const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    {[1, 2, 3, 4, 5].map((row) => (
      <i key={row} />
    ))}
  </div>
);
