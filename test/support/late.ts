/**
 * Stands for what a hook makes before the tests run, or anew before each: a suite can take it out of a scene at once, and
 * its properties are those of what there is when they are used.
 */
export const late = <T extends object>(made: () => T): T =>
  new Proxy({} as T, {
    get: (_target, name) => Reflect.get(made(), name),
    set: (_target, name, value) => Reflect.set(made(), name, value),
  });
