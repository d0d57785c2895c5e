import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde, withoutTilde } from '../../../platform/home.ts'
import { plain } from '../../../platform/plain-text.ts'
import { errnoOf } from '../../../platform/write-hint.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'
import { rekeyReplica } from '../../../replica/rekey-replica.ts'
import { expectedStoreId, findKey, generateKey } from '../../../replica/seal/keys.ts'
import { openStore } from '../../../replica/store/open-store.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { requireParentFolder } from '../../validate.ts'

/** Writes a new key file, or prints the key. */
export async function createKey(file: string | undefined, { io, out, err }: Context): Promise<ExitKind> {
  const { text, publicKey } = await generateKey(io)
  const keep = 'keep a copy in a safe place: without the key nothing can be restored from the store'
  if (file === undefined) {
    out.write(text)
    err.write(`${keep}\nset ION_REPLICA_KEY to it in every workspace\n`)
    return 'ok'
  }
  const path = resolve(io.cwd, withoutTilde(file, io))
  requireParentFolder(path)
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    throw new IonError('refused', `${path} already exists, and may be the only copy of a key`, {
      cause: error,
      hint: 'name another file',
    })
  }
  out.write(`wrote ${plain(tilde(path, io))} (public key ${publicKey})\n${keep}\n`)
  out.write(`to use it: ${plain(shellLine(['ion', 'config', 'set', 'replica.key_file', path]))}\n`)
  out.write('in other workspaces: the same file, or its content in ION_REPLICA_KEY\n')
  return 'ok'
}

/** Changes the key of a store. */
export async function rekeyStore(
  { address, keyFile, recipients = [], noEncryption }: ReplicaSettings,
  newKeyFile: string | undefined,
  { io, out }: Context,
): Promise<ExitKind> {
  const create = 'ion replica key new.key creates one'
  if (newKeyFile === undefined) {
    throw new IonError('usage', 'no new key is given', { hint: `ion replica rekey --new-key-file new.key; ${create}` })
  }
  const key = noEncryption ? undefined : await findKey(io, keyFile)
  if (!key) {
    throw new IonError('usage', 'the key that the store has now is not set', {
      hint: 'set ION_REPLICA_KEY, or add --replica-key-file <file>',
    })
  }
  // Not that of the environment, which is the old one.
  const next = (await findKey({ ...io, env: {} }, newKeyFile))!
  const store = await openStore(address, io)
  await rekeyReplica(store, key, { key: next, recipients, id: expectedStoreId(io) })
  const publicKeys = [...new Set([...(await next.publicKeys()), ...recipients])]
  const isSame = (await key.publicKeys()).every((old) => publicKeys.includes(old))
  const news = isSame ? 'keeps its key' : 'has a new key'
  out.write(`${store.address} ${news}; it is opened only by:\n  ${publicKeys.map(plain).join('\n  ')}\n`)
  if (isSame) {
    out.write('new states get a new data key; the key is the one that it had, and still opens everything\n')
    return 'ok'
  }
  out.write('with the new key, everything in it can be read, also what was stored before\n')
  out.write(
    'with the old key, nothing in it can be read any more; whoever has the old key and an earlier copy of the store can still ' +
      'read what was stored until now, and what running workspaces store until they start again\n',
  )
  out.write(
    `next: give the new key to every workspace (${plain(tilde(next.source, io))}), and start their tasks again\n`,
  )
  return 'ok'
}
