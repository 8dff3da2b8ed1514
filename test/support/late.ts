/**
 * A stand-in for an object that a hook creates later, or anew before each test; it has the properties of the present
 * one.
 */
export const late = <T extends object>(made: () => T): T =>
  new Proxy({} as T, {
    get: (_target, name) => Reflect.get(made(), name),
    set: (_target, name, value) => Reflect.set(made(), name, value),
  });
