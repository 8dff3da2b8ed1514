/** Stands for the figures and the chart while they are loading. */
export const CountsSkeleton = () => (
  <div class="counts-skeleton" aria-hidden="true">
    <div class="figures-frame">
      {[1, 2, 3].map((figure) => (
        <div key={figure}>
          <i />
          <i />
        </div>
      ))}
    </div>
    <div class="panel">
      <i />
      <i />
    </div>
  </div>
);
