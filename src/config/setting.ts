import { isAbsolute, join, resolve } from 'node:path'
import { agentPrograms } from '../agents/_programs.ts'
import { parseToml, type TomlValue, tomlText } from '../native/toml.ts'
import { attempt, IonError } from '../platform/error.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { nearest } from '../platform/nearest.ts'
import { colours } from './config.ts'

/** One kind of setting: what it may be, and how it is typed. */
export interface Setting {
  /** As the documentation writes it. */
  readonly key: string
  readonly summary: string
  /** What is allowed, for messages. */
  readonly allowed: string
  /** The only words that are allowed, if it has such. */
  readonly choices?: readonly string[]
  readonly example: TomlValue
  readonly accepts: (value: unknown) => value is TomlValue
  /** The value that is meant by words on the command line. */
  readonly fromWords: (words: readonly string[], io: Io) => TomlValue
}

/** Agents that can be started. */
const agentIds: readonly string[] = agentPrograms.filter(({ isArchive }) => !isArchive).map(({ id }) => id)

/** Not a path, so that the two cannot be confused. */
const PROJECT_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')
const isPath = (value: unknown): value is string => isText(value) && (isAbsolute(value) || /^~(\/|$)/.test(value))
const joined = (words: readonly string[]): string => words.join(' ')
const toBoolean = (text: string): TomlValue => (text === 'true' ? true : text === 'false' ? false : text)

const agent: Setting = {
  key: 'agent',
  summary: 'agent of ion run and ion serve if none is named',
  allowed: `one of: ${agentIds.join(', ')}`,
  choices: agentIds,
  example: agentIds[0]!,
  accepts: (value): value is string => isText(value) && agentIds.includes(value),
  fromWords: joined,
}

const agentArguments: Setting = {
  key: 'agents.<agent>.arguments',
  summary: 'arguments that the agent gets at every start',
  allowed: 'a list of strings',
  example: ['--model', 'name'],
  accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
  fromWords: (words) => (words.length === 1 && words[0]!.startsWith('[') ? listText(words[0]!) : words),
}

const pager: Setting = {
  key: 'pager',
  summary: 'program that shows long text',
  allowed: 'a command such as "less -R", or false',
  example: 'less -R',
  accepts: (value): value is string | false => value === false || (isText(value) && value.trim() !== ''),
  fromWords: (words) => toBoolean(joined(words)),
}

const colour: Setting = {
  key: 'colour',
  summary: 'when to use colours',
  allowed: colours.join(', '),
  choices: colours,
  example: 'never',
  accepts: (value): value is string => colours.some((one) => one === value),
  fromWords: joined,
}

const all: Setting = {
  key: 'all',
  summary: 'list the sessions of all projects',
  allowed: 'true or false',
  example: true,
  accepts: (value): value is boolean => typeof value === 'boolean',
  fromWords: (words) => toBoolean(joined(words)),
}

const project: Setting = {
  key: 'projects.<name>',
  summary: 'another name for a folder',
  allowed: 'an absolute path, or one that begins with ~/',
  example: '~/src/shop',
  accepts: isPath,
  fromWords: (words, io) => tilde(resolve(io.cwd, expanded(joined(words), io)), io),
}

const replicaAddress: Setting = {
  key: 'replica.address',
  summary: 'store in which ion run and ion serve keep tasks',
  allowed: 's3://bucket/prefix, file:///path, or none',
  example: 's3://bucket/ion',
  accepts: (value): value is string => isText(value) && /^(?:(?:s3|file):\/\/.+|none)$/.test(value),
  fromWords: joined,
}

const replicaKeyFile: Setting = {
  key: 'replica.key_file',
  summary: 'file with the key of the store',
  allowed: project.allowed,
  example: '~/.ion/replica.key',
  accepts: isPath,
  fromWords: project.fromWords,
}

const replicaRecipients: Setting = {
  key: 'replica.recipients',
  summary: 'public keys that open a new store too, such as a recovery key',
  allowed: 'a list of public keys of age (age1…)',
  example: ['age1…'],
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => isText(one) && one.startsWith('age1')),
  fromWords: agentArguments.fromWords,
}

const replicaEncryption: Setting = {
  key: 'replica.encryption',
  summary: 'encrypt what is stored',
  allowed: all.allowed,
  example: true,
  accepts: all.accepts,
  fromWords: all.fromWords,
}

const replicaDays: Setting = {
  key: 'replica.days',
  summary: 'how many days back a task can be restored',
  allowed: 'a whole number from 1 to 3650',
  example: 7,
  accepts: (value): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 3650,
  fromWords: (words) => (/^\d+$/.test(joined(words)) ? Number(joined(words)) : joined(words)),
}

const replica = [replicaAddress, replicaKeyFile, replicaRecipients, replicaEncryption, replicaDays]

/** In the order of the documentation. */
export const settings: readonly Setting[] = [agent, agentArguments, pager, colour, all, project, ...replica]

/** As a line of the file. */
export function exampleLine({ key, example }: Pick<Setting, 'key' | 'example'>): string {
  return `${key.replace('<agent>', agentIds[0]!).replace('<name>', 'shop')} = ${tomlText(example)}`
}

/** A list that is typed as in the file; anything else is returned, and refused. */
function listText(text: string): TomlValue {
  return (attempt(() => parseToml(`list = ${text}`).list) as TomlValue | undefined) ?? text
}

/** A path from the file: `~` is the home folder, as no shell has replaced it. */
export function expanded(path: string, io: Pick<Io, 'home'>): string {
  return path === '~' || path.startsWith('~/') ? join(io.home, path.slice(1)) : path
}

export interface KnownKey {
  readonly setting: Setting
  readonly path: readonly string[]
}

/** What is wrong with a key. */
interface UnknownKey {
  readonly message: string
  readonly hint: string
  /** Settings are below it. */
  readonly isTable?: true
}

/** The setting at a path of the file. */
export function findSetting(path: readonly string[]): KnownKey | UnknownKey {
  const [first = '', second, ...rest] = path
  const name = first === 'color' ? 'colour' : first
  if (name === 'agents') return ofAgent(path, second, rest)
  if (name === 'projects') return ofProject(path, second, rest)
  if (name === 'replica') return ofReplica(path, second, rest)
  const setting = settings.find(({ key }) => key === name)
  if (setting && second === undefined) return { setting, path }
  const names = settings.map(({ key }) => key.replace(/\..*/, ''))
  return unknown(path, nearest(name, names), `known: ${settings.map(({ key }) => key).join(', ')}`)
}

/** A key as it is typed; an error if there is no such setting. */
export function parseKey(typed: string): KnownKey {
  const [first = '', ...rest] = typed.split('.')
  // The name of a project may have dots.
  const found = findSetting(first === 'projects' && rest.length > 0 ? [first, rest.join('.')] : [first, ...rest])
  if ('setting' in found) return found
  throw new IonError('usage', found.message, { hint: found.hint })
}

function ofAgent(path: readonly string[], id: string | undefined, rest: readonly string[]): KnownKey | UnknownKey {
  if (id === undefined) return incomplete(path, agentArguments)
  if (!agentIds.includes(id)) {
    const meant = nearest(id, agentIds)
    return { message: `unknown agent "${id}" in "${path.join('.')}"`, hint: suggestion(meant, agent.allowed) }
  }
  if (rest.length === 0) return incomplete(path, agentArguments)
  if (rest.length === 1 && rest[0] === 'arguments') return { setting: agentArguments, path }
  return unknown(path, nearest(rest[0]!, ['arguments']) && `agents.${id}.arguments`, `known: agents.${id}.arguments`)
}

function ofProject(path: readonly string[], name: string | undefined, rest: readonly string[]): KnownKey | UnknownKey {
  if (name === undefined) return incomplete(path, project)
  if (rest.length === 0 && PROJECT_NAME.test(name)) return { setting: project, path }
  const hint = 'a name has letters, digits, ".", "-" and "_", and begins with a letter or digit'
  return rest.length > 0
    ? unknown(path, undefined, `known: ${project.key}`)
    : { message: `"${name}" cannot be the name of a project`, hint }
}

function ofReplica(path: readonly string[], name: string | undefined, rest: readonly string[]): KnownKey | UnknownKey {
  if (name === undefined) return incomplete(path, replicaAddress)
  const setting = replica.find(({ key }) => key === `replica.${name}`)
  if (setting && rest.length === 0) return { setting, path }
  const keys = replica.map(({ key }) => key)
  return unknown(path, nearest(`replica.${name}`, keys), `known: ${keys.join(', ')}`)
}

function incomplete(path: readonly string[], { key, example }: Setting): UnknownKey {
  return {
    message: `"${path.join('.')}" is a table, not a setting`,
    hint: `${key} is one, such as ${exampleLine({ key, example })}`,
    isTable: true,
  }
}

function unknown(path: readonly string[], meant: string | undefined, known: string): UnknownKey {
  return { message: `unknown setting "${path.join('.')}"`, hint: suggestion(meant, known) }
}

/** What to type instead of a value that was refused. */
export function valueHint({ allowed, choices = [] }: Setting, typed: string): string {
  return suggestion(nearest(typed, choices), `allowed: ${allowed}`)
}

function suggestion(meant: string | undefined, known: string): string {
  return meant ? `did you mean ${meant}? ${known}` : known
}
