import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { tokenEndpoint } from '../token-endpoint.ts';

export default defineConfig({ plugins: [svelte(), tokenEndpoint()] });
