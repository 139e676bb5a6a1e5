import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';
import { tokenEndpoint } from '../token-endpoint.ts';

export default defineConfig({ plugins: [vue(), tokenEndpoint()] });
