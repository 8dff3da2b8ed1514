// Takes the pictures of the dashboard anew: those of the README into docs/, and one of each page in each of its states
// into .pictures/. Needs PostgreSQL and Chromium.
process.env.UPDATE_SCREENSHOTS = 'true';
process.argv.push('--postgres', 'test/dashboard/pictures');
await import('./test.mjs');
