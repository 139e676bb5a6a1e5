import type { Genre } from './topic.ts';

/** Captions and descriptions of images. */
export const CAPTIONS: Genre = {
  name: 'captions',
  topics: [
    {
      name: 'photo credit',
      rule: 'detail',
      matters: [
        'Photograph of the harbour of {city} at sunrise',
        'The harbour of {city}, early morning, cranes and ships',
        'Picture: sunrise over ships in the harbour',
        'Morning light on the cranes of the port of {city}',
      ],
      paraphrases: ['Ships and cranes at sunrise, port of {city}', 'Early light over the harbour'],
      passes: ['credit: {person}', 'photo by {person}', 'taken by {person}, with credit line'],
      fails: ['source unknown', 'found on the internet', 'origin of the picture unclear'],
      asides: [
        'The horizon is slightly tilted.',
        'A ferry leaves the harbour on the left.',
        'It opens the chapter about trade.',
      ],
    },
    {
      name: 'people in pictures',
      rule: 'detail',
      matters: [
        'Group picture of visitors at the trade fair booth',
        'Visitors laughing at our booth on the fair',
        'Faces of guests at the stand during the fair in {city}',
      ],
      paraphrases: [
        'Guests of the fair, their faces visible, at our stand',
        'Laughing group at the booth',
      ],
      passes: [
        'everyone signed a release',
        'signed releases of all persons are on file',
        'with the written consent of those shown',
      ],
      fails: ['they were not asked', 'consent of the persons is missing', 'no release was signed'],
      asides: [
        'The logo on the wall is the old one.',
        'Badges with names can be read.',
        'It is meant for the report on events.',
      ],
    },
    {
      name: 'image width',
      rule: 'limit',
      limit: 1200,
      matters: [
        'Screenshot of the dashboard, {n} pixels wide',
        'Dashboard screen as an image with a width of {n} px',
        'Image of the new dashboard in {n} pixels',
      ],
      paraphrases: [
        'The dashboard as a screenshot measuring {n} px across',
        'Wide dashboard picture, {n} pixels',
      ],
      passes: ['', ', in PNG', ', for the manual'],
      fails: ['', ', in PNG', ', for the manual'],
      asides: [
        'The chart in the middle shows sample data.',
        'The sidebar is collapsed.',
        'Arrows mark the filter button.',
      ],
    },
    {
      name: 'caption length',
      rule: 'limit',
      limit: 25,
      matters: [
        'Caption of {n} words below the map of the region',
        'The map of the region gets a caption with {n} words',
        'Map with rivers and towns, its caption counts {n} words',
      ],
      paraphrases: [
        'Below the regional map stand {n} words of caption',
        'Rivers and towns on a map, {n} words underneath',
      ],
      passes: ['', ' in italics', ' in the small font'],
      fails: ['', ' in italics', ' in the small font'],
      asides: [
        'The scale bar is in kilometres.',
        'Names of towns are in the local language.',
        'The border is drawn as a dashed line.',
      ],
    },
    {
      name: 'stock images',
      rule: 'never',
      twist: 'organization',
      matters: [
        'Stock image of a handshake for the partner page',
        'Handshake between two business people, from a stock library',
        'Use a bought stock photo with shaking hands',
      ],
      paraphrases: [
        'Shaking hands, purchased from a stock library',
        'For partners: a stock picture of a handshake',
      ],
      passes: ['', ' in blue tones'],
      fails: [' on white ground', ' with a city behind'],
      asides: [
        'Competitors use the very same hands.',
        'The licence covers print as well.',
        'It would stand beside the list of partners.',
      ],
    },
    {
      name: 'illustrations with mascots',
      rule: 'always',
      twist: 'organization',
      matters: [
        'Drawing of our mascot who explains the settings',
        'The mascot points at the settings, cartoon style',
        'Illustration: mascot with a magnifying glass over the options',
      ],
      paraphrases: [
        'A cartoon in which the mascot explains options',
        'Mascot drawing for the settings section',
      ],
      passes: ['', ' in two colours'],
      fails: [' with a speech bubble', ' on a yellow ground'],
      asides: [
        'The magnifying glass is too large perhaps.',
        'The drawing exists as a vector file.',
        'Children like it, says the survey.',
      ],
    },
    {
      name: 'generated images',
      rule: 'always',
      twist: 'turned',
      matters: [
        'Generated image of a mountain village for the newsletter',
        'A mountain village, made by an image generator',
        'Newsletter header created by artificial intelligence: village in the Alps',
      ],
      paraphrases: [
        'An image generator made this village in the mountains',
        'Header of the newsletter, artificially generated',
      ],
      passes: ['', ' in winter'],
      fails: [' at dusk', ' with snow'],
      asides: [
        'The church tower has two clocks.',
        'Windows look odd at the right side.',
        'It took eleven attempts.',
      ],
    },
    {
      name: 'dark screenshots',
      rule: 'never',
      twist: 'turned',
      matters: [
        'Screenshot of the editor in dark mode for the tutorial',
        'Dark theme of the editor shown in the tutorial',
        'Editor window, dark colours, step three of the tutorial',
      ],
      paraphrases: [
        'The tutorial shows the editor with its dark theme',
        'Step of a tutorial, editor window in dark mode',
      ],
      passes: ['', ' with large font'],
      fails: [' on a wide screen', ' with line numbers'],
      asides: [
        'The cursor covers a letter.',
        'The menu at the top is cut off.',
        'It replaces an image from the old version.',
      ],
    },
    {
      name: 'alternative text',
      rule: 'detail',
      matters: [
        'Diagram of the water cycle for the school book',
        'The water cycle with clouds, rain and river as a diagram',
        'Figure on evaporation and rain, water cycle',
      ],
      paraphrases: [
        'Figure for school: how rain, river and clouds form the water cycle',
        'Evaporation and rain in one diagram',
      ],
      passes: [
        'alternative text describes every arrow',
        'has an alternative text for screen readers',
        'alternative text included',
      ],
      fails: ['alternative text is empty', 'lacks an alternative text', 'no alternative text yet'],
      asides: [
        'The arrows are blue and red.',
        'Labels are set in the font of the book.',
        'The teacher edition has the same figure.',
      ],
    },
    {
      name: 'chart axes',
      rule: 'detail',
      matters: [
        'Bar chart of yearly sales in five regions',
        'Sales per region as a bar chart',
        'Chart comparing the regions by sales of the year',
      ],
      paraphrases: [
        'Comparison of regional sales with bars',
        'Yearly sales, a bar for each of the five regions',
      ],
      passes: ['the axis starts at zero', 'with an axis from zero', 'vertical axis begins at zero'],
      fails: [
        'the axis starts at eighty',
        'with a truncated axis',
        'vertical axis cut to show differences',
      ],
      asides: [
        'The legend is below the bars.',
        'Numbers stand on top of each bar.',
        'Colours follow the style guide.',
      ],
    },
    {
      name: 'logo on photos',
      rule: 'never',
      matters: [
        'Company logo placed over the faces in the photo',
        'Our logo across the photo of the staff',
        'Staff photo with a large logo on top',
      ],
      paraphrases: [
        'A big logo over the staff in the picture',
        'Putting the company logo across faces',
      ],
      passes: ['', ' in white'],
      fails: [' at half opacity', ' in the corner and centre'],
      asides: [
        'The staff stand on the stairs.',
        'The photo was taken in May.',
        'Print needs a higher resolution.',
      ],
    },
    {
      name: 'archive portraits',
      rule: 'always',
      matters: [
        'Portrait of the founder from the archive, black and white',
        'Black and white founder portrait for the history page',
        'Archive picture: the founder at her desk',
      ],
      paraphrases: [
        'The founder at a desk, from our archive',
        'History page with an old portrait of the founder',
      ],
      passes: ['', ', scanned again'],
      fails: [', cropped', ', with the original frame'],
      asides: [
        'The desk is in the museum now.',
        'A scratch was removed.',
        'The year on the back is 1951.',
      ],
    },
  ],
  fillers: [
    'The image belongs on the second page of the section.',
    'Resolution is sufficient for print and web.',
    'The picture editor of {company} sent it yesterday.',
    'It will appear next to the introduction.',
    'Colours have been corrected slightly.',
    'The file name follows our scheme.',
    'A cropped version for phones exists.',
    'Readers see it in the gallery, too.',
    'The designer {person} prefers the landscape format.',
    'We have two similar ones, this one is sharper.',
    'Left: a wall. Right: an open window with curtains.',
    'In the foreground there is a table with some papers on it.',
    'The caption will be translated into six languages.',
    'It replaces the placeholder of the draft.',
    'The background is blurred on purpose.',
    'Please check whether it fits the tone of the page.',
  ],
};
