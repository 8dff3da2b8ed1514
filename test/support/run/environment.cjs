// The environment of a suite: the process itself, whose modules suite.cjs gives it. What Jest replaces is put back.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const record = require('./record.cjs');

module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #console = console;
  #exit = process.exit;
  #getBuiltinModule = process.getBuiltinModule;

  constructor({ projectConfig }, { testPath }) {
    this.endRecord = () => record.end(projectConfig.rootDir, testPath);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  exportConditions = () => ['node', 'node-addons'];
  getVmContext = () => null; // it has no other

  setup() {
    process.getBuiltinModule = this.#getBuiltinModule;
    record.begin();
  }

  teardown() {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    this.endRecord();
  }
};
