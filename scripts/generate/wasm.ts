import wabt from 'wabt'

/** A module that exports the binary of a WebAssembly text, as base64. */
export async function wasmSource(name: string, text: string): Promise<string> {
  const { parseWat } = await wabt()
  const { buffer } = parseWat(name, text, { simd: true }).toBinary({})
  const base64 = Buffer.from(buffer).toString('base64')
  return [`// Written by npm run generate from ${name}.`, 'export const wasm =', `  '${base64}'`, ''].join('\n')
}
