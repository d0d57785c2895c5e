import { defineConfig } from 'vite'

/** The chat page. Addresses are relative, since it may be served below any path (a workspace's proxy adds its own). */
export default defineConfig({
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // The page's policy forbids inline scripts, and browsers of this target support preloading natively.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
