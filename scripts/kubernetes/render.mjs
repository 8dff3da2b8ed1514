// Renders the overlays in a copy of deploy/, as they are and as their users change them.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The command that renders a folder; none if neither program is installed, or it is too old. */
export const kustomize = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
].find(knowsComponents);

function knowsComponents([command]) {
  if (command === 'kustomize') return spawnSync(command, ['version']).status === 0;
  const { status, stdout } = spawnSync(command, ['version', '--client', '--output=json'], {
    encoding: 'utf8',
  });
  return status === 0 && 'kustomizeVersion' in JSON.parse(stdout);
}

const OFFERED = /^ {2}# - (?=\.\.\/\.\.\/components\/([\w-]+)(.*)$)/gm;

/**
 * Each overlay as it is, with each component that it offers in a comment, and with all of them that do not exclude each
 * other; and the overlay of the example.
 */
export function renderAll(directory, example) {
  const deploy = join(directory, 'deploy');
  cpSync('deploy', deploy, { recursive: true });
  const used = new Set();
  const rendered = readdirSync('deploy/overlays').flatMap((overlay) => {
    const path = join(deploy, 'overlays', overlay);
    const file = join(path, 'kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    const offered = [...text.matchAll(OFFERED)];
    for (const [, name] of text.matchAll(/components\/([\w-]+)/g)) used.add(name);
    const withComponents = (isChosen) => {
      const choose = (comment, name, rest) => (isChosen(name, rest) ? '  - ' : comment);
      writeFileSync(file, text.replace(OFFERED, choose));
      return render(path);
    };
    return [
      ...offered.map(([, name]) => [`${overlay} with ${name}`, withComponents((other) => other === name)]),
      [`${overlay} with all`, withComponents((_, rest) => !rest.includes('instead of'))],
      [overlay, withComponents(() => false)], // last, because the example builds on it
    ];
  });
  const unused = readdirSync('deploy/components').filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`No overlay offers the components ${unused.join(', ')}.`);

  mkdirSync(join(deploy, 'overlays/example'));
  writeFileSync(join(deploy, 'overlays/example/kustomization.yaml'), example);
  return [...rendered, ['the example', render(join(deploy, 'overlays/example'))]];
}

function render(path) {
  const [command, ...args] = kustomize;
  const text = execFileSync(command, [...args, path], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return parseAllDocuments(text).map((document) => document.toJS());
}
