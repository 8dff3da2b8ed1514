const FACTS = Symbol('facts');

type AllFacts = Record<string, object>;

/** What a check knows of the value of a field, in the words of JSON Schema: the OpenAPI document repeats it. */
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
