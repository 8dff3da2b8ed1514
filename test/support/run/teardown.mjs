export default () => globalThis.stopEngine();
