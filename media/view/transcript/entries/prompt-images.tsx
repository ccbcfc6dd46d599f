import { useEffect } from "preact/hooks";
import type { ImageFacts } from "../../../../agent-host/protocol/thread/image.ts";
import { t } from "../../../../l10n/t.ts";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

interface Props {
	readonly entryKey: string;
	readonly images: readonly ImageFacts[];
}

/** Images of a prompt: thumbnails that open on click. */
export function PromptImages({ entryKey, images }: Props) {
	if (images.length === 0) return null;
	return (
		<div class="prompt-images">
			{images.map((image, index) => (
				<PromptImage key={index} fold={`${entryKey}/${index}`} image={image} />
			))}
		</div>
	);
}

function PromptImage({ fold, image }: { readonly fold: string; readonly image: ImageFacts }) {
	const page = usePage();
	const { id, width, height } = image;
	useEffect(() => page.composer.images.want(id), [id]);
	const url = page.composer.images.shown.value.get(id);
	const isOpen = page.openFolds.value.has(fold);
	const name = t("Image, {0} × {1}", width, height);
	if (url === "") return <span class="quiet">{t("{0} is missing or damaged.", name)}</span>;
	return (
		<button
			type="button"
			class={isOpen ? "prompt-image open" : "prompt-image"}
			title={isOpen ? t("Make smaller") : t("Enlarge")}
			aria-label={name}
			aria-expanded={isOpen}
			onClick={() => page.toggleFold(fold)}
		>
			{url === undefined ? <Icon name="file-media" /> : <img src={url} alt="" />}
		</button>
	);
}
