export default async () => {
  await globalThis.endSharedService?.(); // with --runInBand
  await globalThis.stopEngine();
};
