import { spawnSync } from 'node:child_process'

/**
 * A network with nothing but loopback, since several agents call their vendors at start. The worker of the proof (stub
 * model, Ion, agents) runs in one such network.
 */
export interface Sandboxed {
  argv: string[]
  isolated: boolean
  /** Why it is not isolated. */
  why?: string
}

/** A fresh network namespace has loopback, but down. One of these tools is on any machine that can make one. */
const BRING_UP_LOOPBACK = [
  'ip link set lo up',
  'busybox ip link set lo up',
  'ifconfig lo up',
  // SIOCSIFFLAGS with IFF_UP and IFF_RUNNING
  `python3 -c "import fcntl,socket,struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sH14x', b'lo', 0x41))"`,
]
  .map((command) => `${command} 2>/dev/null`)
  .join(' || ')

/** Exits 0 only if loopback works and there is no other interface. */
const CHECK = `
  const others = Object.keys(require('os').networkInterfaces()).filter((name) => name !== 'lo')
  if (others.length) process.exit(1)
  const server = require('net').createServer().listen(0, '127.0.0.1', () => {
    require('net').connect(server.address().port, '127.0.0.1', () => process.exit(0))
  })`

/**
 * The ways to unshare the network, best first. Root needs no user namespace; others had better keep their own id in it,
 * because agents behave differently as root.
 */
export function waysToIsolate(uid: number | undefined): string[][] {
  if (uid === 0) return [['unshare', '--net']]
  return [
    ['unshare', '--net', '--map-current-user', '--keep-caps'],
    ['unshare', '--net', '--map-root-user'],
  ]
}

/** `way` is one of `waysToIsolate`. */
export function inSandbox(argv: string[], way: string[]): string[] {
  return [...way, '--', 'sh', '-c', `{ ${BRING_UP_LOOPBACK}; } || exit 97; exec "$@"`, 'sandbox', ...argv]
}

/**
 * The command, wrapped where this machine allows it. Each way is tried with a harmless program first.
 * `works` runs a command and returns nothing, or why it failed.
 */
export function sandboxed(
  argv: string[],
  {
    uid = process.getuid?.(),
    works = tryOut,
  }: { uid?: number | undefined; works?: (argv: string[]) => string | undefined } = {},
): Sandboxed {
  let why = 'no network namespaces on this system'
  for (const way of waysToIsolate(uid)) {
    const failure = works(inSandbox([process.execPath, '-e', CHECK], way))
    if (failure === undefined) return { argv: inSandbox(argv, way), isolated: true }
    why = failure
  }
  return { argv, isolated: false, why }
}

function tryOut([program = '', ...args]: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(program, args, { timeout: 20_000, encoding: 'utf8' })
  if (status === 0) return undefined
  if (error) return error.message
  return stderr.trim().split('\n')[0] || `${program} ended with ${status}`
}
