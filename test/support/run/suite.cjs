// Runs a suite with jest-circus, as Jest does, but on the modules of its process: Jest's own registry would load the
// application, and what it imports, for each suite anew. The modules of test/ are loaded anew, with what they keep.
//
// A suite that replaces what Node itself uses, such as setTimeout() for each caller, has to say @jest-environment node
// in the comment that it begins with. It has globals and modules of its own then, by Jest's registry.
const { readFileSync } = require('node:fs');
const { _extensions } = require('node:module');
const { sep } = require('node:path');
const { createScriptTransformer } = require('@jest/transform');
const { default: runWithCircus } = require('jest-circus/runner');

let compile;
/** The source map of each file that this process has loaded, where Jest looks for it during a suite. */
let sourceMaps = new Map();

module.exports = async (globalConfig, config, environment, jestRuntime, path, ...rest) => {
  if (environment.global !== globalThis)
    return runWithCircus(globalConfig, config, environment, jestRuntime, path, ...rest);

  _extensions['.ts'] = compile ??= await compiler(globalConfig, config);
  forgetTests(config.rootDir);
  delete globalThis[Symbol.for('EVENT_HANDLERS')]; // jest-circus's, for the suite before
  const known = sourceMaps;
  sourceMaps = jestRuntime.getSourceMaps();
  for (const [file, map] of known) sourceMaps.set(file, map);
  const { jest } = jestRuntime.requireModuleOrMock(path, '@jest/globals');
  globalThis.jest = { ...jest, mock: refuse, doMock: refuse, resetModules: refuse, isolateModules: refuse };

  const runtime = Object.assign(Object.create(jestRuntime), {
    requireModule: require,
    requireInternalModule(file) {
      delete require.cache[file]; // jest-circus keeps the tests of a suite
      return require(file);
    },
    unstable_shouldLoadAsEsm: () => false,
  });
  try {
    return await runWithCircus(globalConfig, config, environment, runtime, path, ...rest);
  } finally {
    environment.fakeTimersModern.useRealTimers();
    environment.moduleMocker.restoreAllMocks();
  }
};

/** Compiles with the `transform` of the configuration, from Jest's cache, and counts coverage if that is wanted. */
async function compiler(globalConfig, config) {
  const transformer = await createScriptTransformer(config);
  return (module, file) => {
    const { code, sourceMapPath } = transformer.transform(file, globalConfig, readFileSync(file, 'utf8'));
    if (sourceMapPath) sourceMaps.set(file, sourceMapPath);
    module._compile(code, file);
  };
}

function refuse() {
  throw new Error('This suite shares its modules with others, unless it says @jest-environment node.');
}

function forgetTests(rootDir) {
  const [tests, run] = [`${rootDir}${sep}test${sep}`, __dirname];
  for (const file of Object.keys(require.cache))
    if (file.startsWith(tests) && !file.startsWith(run)) delete require.cache[file];
  module.children.length = 0;
}
