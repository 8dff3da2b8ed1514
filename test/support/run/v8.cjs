// Runs before each suite. A flag of V8 would last for every later suite of the process.
require('node:v8').setFlagsFromString = (flag) => {
  throw new Error(`${flag} would change V8 for all later suites; set it in a process of its own.`);
};
