// `npm run chromium` gets a browser for test/web from the npm registry. Where that is not possible it says why, and the
// tests that need one are skipped. Only the files of the package are used; its code does not run.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { runTool } from '../prove/run-tool.ts'
import { CHROMIUM_VERSION, installedChromium } from './chromium.ts'

interface Package {
  readonly name: string
  readonly version: string
  readonly sha512: string
}

const CHROMIUM: Package = {
  name: '@sparticuz/chromium',
  version: CHROMIUM_VERSION,
  sha512: 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
}

/** The browser's package has no font for code. */
const CODE_FONT: Package = {
  name: 'dejavu-fonts-ttf',
  version: '2.37.3',
  sha512: 'f1hd7jJbeQa1VWcw+K2KrTXS50zTMaHpVC4XIKJpNcDeYR5ajMtj/iLlQDYNvLOKamUB3ARVVCf79lNwNVztSQ==',
}

/** Only fonts of the two packages, so that every machine draws the same page. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`
const CODE_FONTS = ['DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf']

try {
  if (!existsSync(join(installedChromium.folder, 'fonts', CODE_FONTS[0]!))) await install()
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
    const browser = await download(CHROMIUM, work)
    const packed = (name: string): Buffer => brotliDecompressSync(readFileSync(join(browser, 'bin', name)))
    const unpacked = join(work, 'unpacked')
    mkdirSync(unpacked)
    writeFileSync(join(unpacked, 'chromium'), packed('chromium.br'), { mode: 0o755 })
    execFileSync('tar', ['-x', '--no-same-owner', '-C', unpacked], { input: packed('fonts.tar.br') })
    const fonts = await download(CODE_FONT, work)
    for (const font of CODE_FONTS) copyFileSync(join(fonts, 'ttf', font), join(unpacked, 'fonts', font))
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

/** The folder of a package as published, checked; npm's own cache in the user's home is not used. */
async function download({ name, version, sha512 }: Package, work: string): Promise<string> {
  const folder = mkdtempSync(join(work, 'package-'))
  const env = { ...process.env, npm_config_cache: join(work, 'npm'), npm_config_loglevel: 'error' }
  await runTool('npm', ['pack', `${name}@${version}`, '--pack-destination', folder], { env, cwd: folder })
  const archive = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (found !== sha512) throw new Error(`${name}@${version} does not have the expected checksum`)
  await runTool('tar', ['-xzf', archive, '-C', folder], { env: process.env })
  return join(folder, 'package')
}

function startError(folder: string): string | undefined {
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'lib') }
  const { status, stderr, error } = spawnSync(join(folder, 'chromium'), ['--version'], { env, encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}
