// `npm run chromium` gets a browser for test/web from the npm registry. Where that is not possible it says why, and the
// tests that need one are skipped. Only the files of the package are used; its code does not run.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { runTool } from '../prove/run-tool.ts'
import { CHROMIUM_VERSION, installedChromium } from './chromium.ts'

const SHA512 = 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='

/** Only the package's own fonts, so that every machine draws the same page. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

try {
  if (!existsSync(installedChromium.program)) await install()
  console.log(`Chromium ${CHROMIUM_VERSION} is installed for test/web`)
} catch (error) {
  console.log(`Chromium could not be installed, so tests of the chat page may be skipped: ${(error as Error).message}`)
}

async function install(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('the package is for Linux on x64 only')
  const { folder } = installedChromium
  mkdirSync(dirname(folder), { recursive: true })
  const work = mkdtempSync(`${folder}-`)
  try {
    const archive = await download(work)
    await runTool('tar', ['-xzf', archive, '-C', work], { env: process.env })
    const packed = (name: string): Buffer => brotliDecompressSync(readFileSync(join(work, 'package', 'bin', name)))
    const unpacked = join(work, 'unpacked')
    mkdirSync(unpacked)
    writeFileSync(join(unpacked, 'chromium'), packed('chromium.br'), { mode: 0o755 })
    execFileSync('tar', ['-x', '--no-same-owner', '-C', unpacked], { input: packed('fonts.tar.br') })
    writeFileSync(join(unpacked, 'fonts.conf'), FONTS_CONF)
    if (startError(unpacked)) {
      // The libraries that are missing on this system.
      execFileSync('tar', ['-x', '--no-same-owner', '-C', unpacked], { input: packed('al2023.tar.br') })
      const error = startError(unpacked)
      if (error) throw new Error(`it does not start: ${error}`)
    }
    rmSync(folder, { recursive: true, force: true })
    renameSync(unpacked, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The package as published, checked; npm's own cache in the user's home is not used. */
async function download(folder: string): Promise<string> {
  const env = { ...process.env, npm_config_cache: join(folder, 'npm'), npm_config_loglevel: 'error' }
  const name = `@sparticuz/chromium@${CHROMIUM_VERSION}`
  await runTool('npm', ['pack', name, '--pack-destination', folder], { env, cwd: folder })
  const archive = join(folder, `sparticuz-chromium-${CHROMIUM_VERSION}.tgz`)
  const sha512 = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (sha512 !== SHA512) throw new Error(`${name} does not have the expected checksum`)
  return archive
}

function startError(folder: string): string | undefined {
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') }
  const { status, stderr, error } = spawnSync(join(folder, 'chromium'), ['--version'], { env, encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}
