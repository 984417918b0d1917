// Reads what deploy/units/ gives to service managers.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const unitFile = join(root, "deploy/units/pi-resilient@.service");
export const plistFile = join(root, "deploy/units/pi-resilient.plist");

/** { section: { key: [values] } }; throws at a line that systemd would not take. */
export function readUnit(text) {
  const sections = {};
  let section;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || /^[#;]/.test(line)) continue;
    const header = /^\[(\w+)\]$/.exec(line);
    if (header) {
      section = sections[header[1]] ??= {};
      continue;
    }
    const setting = /^([A-Z][A-Za-z]*)=(\S.*)$/.exec(line);
    if (!setting || !section) throw new Error(`line ${index + 1} is no setting: ${line}`);
    (section[setting[1]] ??= []).push(setting[2]);
  }
  return sections;
}

/** What systemd hands to the shell: the script between the quotes, $$ being one $. */
export function unitScript(unit) {
  const [command] = unit.Service.ExecStart;
  const parts = /^\/bin\/sh -c '([^']*)'$/.exec(command);
  if (!parts) throw new Error(`not one script for the shell: ${command}`);
  return parts[1].replaceAll("$$", "$");
}

const entities = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'" };

/** The value of a property list; throws where it is not well formed. */
export function readPlist(text) {
  const tokens = text.replace(/<\?.*?\?>|<!DOCTYPE[^>]*>|<!--(?:(?!--)[^])*-->/g, "").match(/<[^<>]*>|[^<>]+/g);
  let at = 0;
  const blank = () => {
    while (at < tokens.length && tokens[at].trim() === "") at += 1;
  };
  const take = (wanted) => {
    blank();
    const found = tokens[at++];
    if (wanted && found !== wanted) throw new Error(`${wanted} is missing, there is ${found}`);
    return found;
  };
  const content = (tag) => {
    const body = tokens[at]?.startsWith("<") ? "" : tokens[at++];
    if (/&(?!(lt|gt|amp|quot|apos);)/.test(body)) throw new Error(`a bare & in ${body}`);
    take(`</${tag}>`);
    return body.replace(/&\w+;/g, (entity) => entities[entity]);
  };
  const peek = () => (blank(), tokens[at]);
  const value = () => {
    const tag = take();
    if (tag === "<true/>") return true;
    if (tag === "<false/>") return false;
    if (tag === "<string>") return content("string");
    if (tag === "<integer>") return Number(content("integer"));
    if (tag === "<array>") {
      const list = [];
      while (peek() !== "</array>") list.push(value());
      take("</array>");
      return list;
    }
    if (tag === "<dict>") {
      const dict = {};
      while (peek() !== "</dict>") {
        take("<key>");
        const key = content("key");
        dict[key] = value();
      }
      take("</dict>");
      return dict;
    }
    throw new Error(`${tag} is no value`);
  };
  take('<plist version="1.0">');
  const read = value();
  take("</plist>");
  if (peek() !== undefined) throw new Error("something stands behind the list");
  return read;
}

export const readUnitFile = () => readUnit(readFileSync(unitFile, "utf8"));
export const readPlistFile = () => readPlist(readFileSync(plistFile, "utf8"));
