import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openRegularFile } from '../../native/regular-file.ts'
import { IonError, isMissing, messageOf } from '../../platform/error.ts'
import { withoutTilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { plain } from '../../platform/plain-text.ts'

/** There is no option for it: a command line can be read by every process of the machine, and shells record it. */
const VARIABLE = 'ION_REPLICA_KEY'
const SECRET_KEY = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/
const PUBLIC_KEY = /^age1[02-9ac-hj-np-z]{58}$/
/** Of a store: not a secret. */
export const STORE_ID: RegExp = /^[0-9a-f]{32}$/
/** A key file has a few lines. */
const MAX_FILE = 64 * 1024
/** The permissions of group and others. */
const NOT_OWNER = 0o077

const CREATE = 'ion replica key key.txt creates a key file'

/** The user's key: one or more identities of age. Their text is private, so that it does not get into a log. */
export class ReplicaKey {
  /** For messages: the variable, or the file. */
  readonly source: string
  readonly #identities: readonly string[]

  constructor(identities: readonly string[], source: string) {
    this.#identities = identities
    this.source = source
  }

  /** Secret: never in a message. */
  identities(): readonly string[] {
    return this.#identities
  }

  /** Who has these can encrypt for the user. */
  publicKeys(): Promise<string[]> {
    return Promise.all(this.#identities.map(publicKeyOf))
  }
}

/** From the environment, else from the file if one is set; undefined when there is neither. */
export async function findKey(io: Io, keyFile?: string): Promise<ReplicaKey | undefined> {
  checkEncryption(io)
  const text = io.env[VARIABLE]
  if (text?.trim()) return parseKey(text, VARIABLE)
  return keyFile === undefined ? undefined : readKeyFile(io, keyFile)
}

/** Whoever sets the variable to anything but `none` wants something that it would not do. */
function checkEncryption({ env }: Io): void {
  const text = env.ION_REPLICA_ENCRYPTION
  if (!text || text === 'none') return
  throw new IonError('usage', `ION_REPLICA_ENCRYPTION is "${plain(text)}"`, {
    hint: 'set it to none for a store without encryption, or leave it out',
  })
}

/** The id that the store must have, if the user has set one. */
export function expectedStoreId(io: Io): string | undefined {
  const id = io.env.ION_REPLICA_ID?.trim()
  if (!id) return undefined
  if (STORE_ID.test(id)) return id
  // Not shown: it may be a key that was put into the wrong variable.
  throw new IonError('usage', 'ION_REPLICA_ID is not the id of a store', { hint: 'it has 32 digits from 0 to f' })
}

/** A key file as `age-keygen` writes it. */
async function readKeyFile(io: Io, keyFile: string): Promise<ReplicaKey> {
  if (/secret-key/i.test(keyFile)) {
    throw new IonError('usage', 'the name of the key file looks like a key', {
      hint: `write the key into a file that only you may read, or set ${VARIABLE}`,
    })
  }
  const path = resolve(io.cwd, withoutTilde(keyFile, io))
  return parseKey(privateText(path, io), path)
}

/** The content of a new key file, as `age-keygen` writes it. */
export async function generateKey(io: Io): Promise<{ readonly text: string; readonly publicKey: string }> {
  const { generateX25519Identity } = await import('age-encryption')
  const identity = await generateX25519Identity()
  const publicKey = await publicKeyOf(identity)
  const created = io.now().toISOString().replace(/\.\d+/, '')
  return { text: `# created: ${created}\n# public key: ${publicKey}\n${identity}\n`, publicKey }
}

/** Throws unless all are public keys of age. None is shown: it may be a secret key that was put in the wrong place. */
export async function checkPublicKeys(keys: readonly string[]): Promise<void> {
  const { Encrypter } = await import('age-encryption')
  for (const [index, key] of keys.entries()) {
    if (PUBLIC_KEY.test(key) && succeeds(() => new Encrypter().addRecipient(key))) continue
    const what = /secret-key/i.test(key) ? 'is a secret key' : 'is not a public key of age'
    throw new IonError('usage', `recipient ${index + 1} ${what}`, {
      hint: 'a public key begins with age1; age-keygen -y key.txt prints that of a key file',
    })
  }
}

async function parseKey(text: string, source: string): Promise<ReplicaKey> {
  const identities: string[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const identity = line.trim()
    if (identity === '' || identity.startsWith('#')) continue
    if (!(await isSecretKey(identity))) throw notAKey(source, index + 1, identity)
    identities.push(identity)
  }
  if (identities.length === 0) {
    // A store of secrets may have made one line of the file, which is a comment then.
    const isOneLine = /secret-key/i.test(text)
    const hint = isOneLine ? 'its line breaks are missing: set it to the last line of the key file alone' : CREATE
    throw new IonError('usage', `${source} contains no key`, { hint })
  }
  return new ReplicaKey(identities, source)
}

/** Without the line, which may be a key with a typing error. */
function notAKey(source: string, line: number, text: string): IonError {
  const [what, hint] = PUBLIC_KEY.test(text)
    ? ['is a public key, which can only encrypt', 'use the secret key that belongs to it']
    : ['is not a secret key of age', `it begins with AGE-SECRET-KEY-1; ${CREATE}`]
  return new IonError('usage', `line ${line} of ${source} ${what}`, { hint })
}

/** The library's own errors contain the key. */
async function isSecretKey(text: string): Promise<boolean> {
  if (!SECRET_KEY.test(text)) return false
  const { Decrypter } = await import('age-encryption')
  return succeeds(() => new Decrypter().addIdentity(text))
}

function succeeds(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}

async function publicKeyOf(identity: string): Promise<string> {
  const { identityToRecipient } = await import('age-encryption')
  return identityToRecipient(identity)
}

/** The permissions are those of the file that is read, even if another is put in its place meanwhile. */
function privateText(path: string, io: Io): string {
  let fd: number | undefined
  try {
    fd = openRegularFile(path)
    const { mode, size } = fstatSync(fd)
    if (io.platform !== 'win32' && (mode & NOT_OWNER) !== 0) throw notPrivate(path)
    if (size > MAX_FILE) throw new IonError('usage', `${path} is too large for a key file`, { hint: CREATE })
    return readFileSync(fd, 'utf8')
  } catch (error) {
    if (error instanceof IonError) throw error
    if (isMissing(error)) {
      throw new IonError('not-found', `there is no key file ${path}`, {
        hint: `check the path: a store opens only with the key that it was created with; for a new one, ${CREATE}`,
      })
    }
    throw new IonError('failed', `cannot read the key file ${path}: ${messageOf(error)}`, {
      cause: error,
      hint: `ls -l ${path} shows whose it is`,
    })
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function notPrivate(path: string): IonError {
  return new IonError('refused', `other users may read the key file ${path}`, {
    hint: `chmod 600 ${path}, or set ${VARIABLE} where that is not possible`,
  })
}
