// Opens Pi's own settings again and again, as a starting Pi does, and saves one of Pi's own members each time. Prints, as
// JSON, how often, what was saved last, and each time that the settings were missing or could not be saved.
//
//   node pi-settings.mjs SETTINGS-MODULE AGENT-FOLDER PROJECT SECONDS
const [module, agent, project, seconds] = process.argv.slice(2);
const { SettingsManager } = await import(module);
const end = Date.now() + 1000 * Number(seconds);
const problems = [];
let [opened, last] = [0, ""];
for (; Date.now() < end || !last; opened += 1) {
  const begin = Date.now();
  const manager = SettingsManager.create(project, agent);
  const failed = manager.drainErrors();
  if (failed.length || manager.getGlobalSettings().keep !== 7) {
    problems.push(`missing after ${Date.now() - begin} ms: ${failed.map(({ error }) => error.message)}`);
    continue;
  }
  const value = `opened ${process.pid} ${opened}`;
  manager.setLastChangelogVersion(value);
  await manager.flush();
  const unsaved = manager.drainErrors();
  if (unsaved.length) problems.push(`not saved after ${Date.now() - begin} ms: ${unsaved.map(({ error }) => error.message)}`);
  else last = value;
  await new Promise((done) => setTimeout(done, 10));
}
console.log(JSON.stringify({ opened, last, problems }));
