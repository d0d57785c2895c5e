import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt, IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { plain } from '../../platform/plain-text.ts'
import type { ObjectStore } from './object-store.ts'

export type StoreAddress =
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'folder'; readonly path: string }

/**
 * The store at `s3://bucket/prefix` or `file:///path`. Asks nothing of it yet: whether it exists shows at the first use. Throws
 * IonError for a wrong address and for missing settings.
 */
export async function openStore(address: string, io: Io): Promise<ObjectStore> {
  const parsed = parseAddress(address)
  if (parsed.kind === 's3') {
    const { openS3Store } = await import('./s3-store.ts')
    return openS3Store(parsed, io)
  }
  const { FolderStore } = await import('./folder-store.ts')
  return new FolderStore(parsed.path, io)
}

/** Throws IonError. Its message never repeats what may be a password. */
export function parseAddress(address: string): StoreAddress {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(address) ?? []
  if (scheme === 's3') return s3Address(rest)
  if (scheme === 'file') return folderAddress(address, rest)
  const shown = plain(address.replace(/[^/@]*@/, '…@'))
  if (address === '') throw wrong('the address of the store is empty')
  if (isAbsolute(address)) {
    throw wrong(`${shown} is a path, not the address of a store`, `file://${encodeURI(shown)}`)
  }
  if (/^https?$/i.test(scheme)) {
    throw wrong(
      `${shown} is a web address; the store is named by its bucket, and its server by AWS_ENDPOINT_URL_S3`,
      `AWS_ENDPOINT_URL_S3=${/^[^/?#]*/.exec(`${rest.replace(/^[^/]*@/, '')}`)![0].replace(/^/, `${scheme}://`)} and s3://bucket/prefix`,
    )
  }
  if (scheme !== '') throw wrong(`Ion cannot keep replicas in ${plain(scheme)}:// addresses`)
  throw wrong(`"${shown}" is not the address of a store`)
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const FOLDER = /^(?!\.{1,2}$)[A-Za-z0-9._=@+-]+$/

function s3Address(rest: string): StoreAddress {
  const slash = rest.indexOf('/')
  const bucket = slash < 0 ? rest : rest.slice(0, slash)
  const path = slash < 0 ? '' : rest.slice(slash + 1)
  if (bucket.includes('@')) {
    throw wrong(
      'credentials do not belong in the address of a store, where other users of this machine can see them',
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, and s3://bucket/prefix',
    )
  }
  if (/[?#]/.test(rest)) {
    throw wrong(
      's3:// addresses have no options',
      'AWS_REGION and AWS_ENDPOINT_URL_S3 in the environment, and s3://bucket/prefix',
    )
  }
  if (bucket === '') throw wrong('the address names no bucket')
  if (!BUCKET.test(bucket) || bucket.includes('..')) {
    throw wrong(
      `"${plain(bucket)}" cannot be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens`,
    )
  }
  const folders = path.replace(/\/$/, '').split('/')
  if (path.replace(/\/$/, '') === '') return { kind: 's3', bucket, prefix: '' }
  const bad = folders.find((folder) => !FOLDER.test(folder))
  if (bad !== undefined) {
    throw wrong(
      bad === ''
        ? 'the prefix has two slashes in a row, or begins with one'
        : `"${plain(bad)}" cannot be in the prefix: letters, digits and . _ = @ + - between single slashes`,
    )
  }
  return { kind: 's3', bucket, prefix: `${folders.join('/')}/` }
}

function folderAddress(address: string, withHost: string): StoreAddress {
  const rest = withHost.replace(/^localhost(?=\/)/i, '')
  if (!rest.startsWith('/')) {
    throw wrong(
      `${plain(address)} names a host or a relative path, but a folder has to be on this machine or mounted here`,
      `file:///${plain(rest)}`,
    )
  }
  if (/[?#]/.test(rest)) {
    throw wrong(`${plain(address)} has a ? or # in it`, 'write %3F for ? and %23 for # in a file:// address')
  }
  const path = attempt(() => fileURLToPath(`file://${rest}`))
  if (path === undefined || path.includes('\0')) throw wrong(`${plain(address)} is not a valid file:// address`)
  if (path.replace(/[\\/]/g, '') === '')
    throw wrong('the root folder is no place for replicas', 'file:///mnt/share/ion')
  return { kind: 'folder', path: path.replace(/(?<=.)[\\/]+$/, '') }
}

function wrong(message: string, hint = 's3://bucket/prefix or file:///mnt/share/ion'): IonError {
  return new IonError('usage', message, { hint })
}
