import { t } from "../../../l10n/t.ts";
import { showInvisible, showPath } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** Images attached to the next prompt; each can be removed. */
export function AttachedImages() {
	const page = usePage();
	const attached = page.composer.images.attached.value;
	if (attached.length === 0) return null;
	return (
		<ul class="attached" aria-label={t("Images")}>
			{attached.map((image) => (
				<li key={image.key} class="thumbnail">
					<img src={image.url} alt={showPath(image.name)} title={showPath(image.name)} />
					<button
						type="button"
						class="icon-button"
						title={t("Remove")}
						aria-label={showInvisible(t("Remove {0}", image.name))}
						onClick={() => page.composer.images.detach([image])}
					>
						<Icon name="close" />
					</button>
				</li>
			))}
		</ul>
	);
}
