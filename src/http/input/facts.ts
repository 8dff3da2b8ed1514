const FACTS = Symbol('facts');

type AllFacts = Record<string, object>;

/** Facts about a field's value in JSON Schema, for the OpenAPI document. */
export const Facts =
  (facts: object): PropertyDecorator =>
  (prototype, property) => {
    const all: AllFacts = Reflect.getOwnMetadata(FACTS, prototype) ?? {};
    all[String(property)] = { ...all[String(property)], ...facts };
    Reflect.defineMetadata(FACTS, all, prototype);
  };

/** The facts of every field of a class, inherited ones included. */
export function factsOf(prototype: object | null): AllFacts {
  if (!prototype) return {};
  return { ...factsOf(Object.getPrototypeOf(prototype)), ...Reflect.getOwnMetadata(FACTS, prototype) };
}
